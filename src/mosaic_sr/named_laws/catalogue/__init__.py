"""The rows of the catalogue; the order decides which of several names of one form comes first."""

from mosaic_sr.named_laws.catalogue.astronomy import ASTRONOMY
from mosaic_sr.named_laws.catalogue.chemistry import CHEMISTRY
from mosaic_sr.named_laws.catalogue.curves import CURVES
from mosaic_sr.named_laws.catalogue.distributions import DISTRIBUTIONS
from mosaic_sr.named_laws.catalogue.earth import EARTH
from mosaic_sr.named_laws.catalogue.electricity import ELECTRICITY
from mosaic_sr.named_laws.catalogue.engineering import ENGINEERING
from mosaic_sr.named_laws.catalogue.life import LIFE
from mosaic_sr.named_laws.catalogue.materials import MATERIALS
from mosaic_sr.named_laws.catalogue.mechanics import MECHANICS
from mosaic_sr.named_laws.catalogue.people import PEOPLE
from mosaic_sr.named_laws.catalogue.thermal import THERMAL
from mosaic_sr.named_laws.law import Law

CATALOGUE: tuple[Law, ...] = (
    *CURVES,
    *LIFE,
    *CHEMISTRY,
    *DISTRIBUTIONS,
    *MECHANICS,
    *THERMAL,
    *ELECTRICITY,
    *MATERIALS,
    *ASTRONOMY,
    *EARTH,
    *PEOPLE,
    *ENGINEERING,
)

__all__ = ["CATALOGUE"]
