"""Templates: laws whose form is known except for some functions, which are searched one by one and fitted together."""

from mosaic_sr.templates.course import TemplateSearch
from mosaic_sr.templates.door import template_of, with_template
from mosaic_sr.templates.ending import finished_outcome

__all__ = ["TemplateSearch", "finished_outcome", "template_of", "with_template"]
