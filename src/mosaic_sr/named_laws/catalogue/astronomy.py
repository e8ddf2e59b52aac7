"""Orbits, stars and galaxies."""

from mosaic_sr.named_laws.law import TURN, Law

R, FIELD = {"r": "radius"}, "astronomy"
RADIUS = ("radius", "r", "distance")

ASTRONOMY = (
    Law("Kepler's third law", FIELD, "c*a^1.5", {"a": "semi-major axis"}, {"c": "factor"},
        hints=("axis", "distance", "a", "semimajor")),
    Law("Kepler's third law with the central mass", FIELD, "2*pi*sqrt(a^3/(G*M))",
        {"a": "semi-major axis", "M": "mass"}, {"G": "gravitational constant"}, hints=("axis", "mass"),
        needs_hint=True),
    Law("speed on a circular orbit", FIELD, "sqrt(G*M/r)", {"M": "mass", "r": "radius"},
        {"G": "gravitational constant"}, hints=("mass", *RADIUS), needs_hint=True),
    Law("vis-viva equation", FIELD, "sqrt(m*(2/r - 1/a))", {"r": "distance", "a": "semi-major axis"},
        {"m": "gravitational parameter"}, hints=("distance", "axis")),
    Law("conic orbit", FIELD, "p/(1 + q*cos(x - w))", {"x": "true anomaly"},
        {"p": "semi-latus rectum", "q": "eccentricity", "w": "direction of the periapsis"}, shifts=("w",),
        angles={"w": TURN}, hints=("angle", "anomaly", "theta")),
    Law("distance modulus", FIELD, "m - M - 5*log(d/10)/log(10)",
        {"m": "apparent magnitude", "M": "absolute magnitude", "d": "distance"}, hints=("distance", "magnitude")),
    Law("Sersic profile", FIELD, "A*exp(-b*r^(1/n))", R, {"A": "central brightness", "b": "scale", "n": "Sersic index"},
        where=("n > 1",), hints=RADIUS),
    Law("de Vaucouleurs profile", FIELD, "A*exp(-b*r^0.25)", R, {"A": "central brightness", "b": "scale"},
        hints=RADIUS),
    Law("Moffat profile", FIELD, "A/(1 + (r/a)^2)^b", R, {"A": "height", "a": "width", "b": "exponent"},
        takes_offset=True, hints=RADIUS),
    Law("Navarro-Frenk-White profile", FIELD, "d/((r/a)*(1 + r/a)^2)", R, {"d": "density", "a": "scale radius"},
        hints=RADIUS),
    Law("Hernquist profile", FIELD, "d/((r/a)*(1 + r/a)^3)", R, {"d": "density", "a": "scale radius"}, hints=RADIUS),
    Law("Plummer potential", FIELD, "-A/sqrt(r^2 + a^2)", R, {"A": "mass factor", "a": "scale radius"}, hints=RADIUS),
    Law("Plummer density", FIELD, "d/(1 + (r/a)^2)^2.5", R, {"d": "central density", "a": "scale radius"},
        hints=RADIUS),
    Law("pseudo-isothermal halo", FIELD, "d/(1 + (r/a)^2)", R, {"d": "central density", "a": "core radius"},
        hints=RADIUS),
    Law("Schechter function", FIELD, "A*(x/a)^n*exp(-x/a)", {"x": "luminosity"},
        {"A": "factor", "a": "characteristic luminosity", "n": "faint-end slope"}, signed=("n",),
        hints=("luminosity", "mass")),
    Law("smoothly broken power law", FIELD, "A/((x/a)^p + (x/a)^q)", {"x": "variable"},
        {"A": "factor", "a": "break", "p": "first exponent", "q": "second exponent"}, signed=("p", "q"),
        where=("q > p",)),
)  # fmt: skip
