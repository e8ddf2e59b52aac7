"""Densities and distribution functions of probability."""

from mosaic_sr.named_laws.law import Law

X = {"x": "variable"}
FIELD = "probability"

DISTRIBUTIONS = (
    Law("normal density", FIELD, "exp(-(x - m)^2/(2*s^2))/(s*sqrt(2*pi))", X,
        {"m": "mean", "s": "standard deviation"}, shifts=("m",)),
    Law("standard normal density", FIELD, "exp(-x^2/2)/sqrt(2*pi)", X),
    Law("exponential density", FIELD, "k*exp(-k*x)", X, {"k": "rate"}),
    Law("exponential distribution function", FIELD, "1 - exp(-k*x)", X, {"k": "rate"}),
    Law("Laplace density", FIELD, "exp(-abs(x - m)/b)/(2*b)", X, {"m": "median", "b": "scale"}, shifts=("m",)),
    Law("Cauchy density", FIELD, "g/(pi*(g^2 + (x - m)^2))", X, {"m": "median", "g": "half width"}, shifts=("m",)),
    Law("logistic density", FIELD, "exp(-(x - m)/s)/(s*(1 + exp(-(x - m)/s))^2)", X, {"m": "mean", "s": "scale"},
        shifts=("m",)),
    Law("logistic distribution function", FIELD, "1/(1 + exp(-(x - m)/s))", X, {"m": "mean", "s": "scale"},
        shifts=("m",)),
    Law("Rayleigh density", FIELD, "x/s^2*exp(-x^2/(2*s^2))", X, {"s": "mode"}),
    Law("Rayleigh distribution function", FIELD, "1 - exp(-x^2/(2*s^2))", X, {"s": "mode"}),
    Law("Maxwell-Boltzmann density", FIELD, "sqrt(2/pi)*x^2/a^3*exp(-x^2/(2*a^2))", X, {"a": "scale"},
        hints=("speed", "velocity", "v")),
    Law("Weibull density", FIELD, "k/a*(x/a)^(k - 1)*exp(-(x/a)^k)", X, {"k": "shape", "a": "scale"}),
    Law("Weibull distribution function", FIELD, "1 - exp(-(x/a)^k)", X, {"k": "shape", "a": "scale"}),
    Law("Weibull survival function", FIELD, "exp(-(x/a)^k)", X, {"k": "shape", "a": "scale"}),
    Law("Frechet distribution function", FIELD, "exp(-(x/a)^(-k))", X, {"k": "shape", "a": "scale"}),
    Law("Gumbel density", FIELD, "exp(-(x - m)/b - exp(-(x - m)/b))/b", X, {"m": "mode", "b": "scale"},
        shifts=("m",)),
    Law("Gumbel distribution function", FIELD, "exp(-exp(-(x - m)/b))", X, {"m": "mode", "b": "scale"}, shifts=("m",)),
    Law("log-normal density", FIELD, "exp(-(log(x) - m)^2/(2*s^2))/(x*s*sqrt(2*pi))", X,
        {"m": "mean of the logarithm", "s": "standard deviation of the logarithm"}, shifts=("m",)),
    Law("log-normal peak", FIELD, "A*exp(-(log(x/m))^2/(2*s^2))", X,
        {"A": "height", "m": "median", "s": "standard deviation of the logarithm"}, takes_offset=True),
    Law("Pareto density", FIELD, "a*m^a/x^(a + 1)", X, {"a": "exponent", "m": "smallest value"},
        hints=("income", "wealth", "size")),
    Law("Pareto survival function", FIELD, "(m/x)^a", X, {"m": "smallest value", "a": "exponent"},
        hints=("income", "wealth", "size")),
    Law("gamma-shaped curve", FIELD, "A*x^k*exp(-x/a)", X, {"A": "factor", "k": "shape", "a": "scale"}),
    Law("beta-shaped curve", FIELD, "A*x^a*(1 - x)^b", X, {"A": "factor", "a": "left exponent", "b": "right exponent"},
        signed=("a", "b")),
    Law("Kumaraswamy distribution function", FIELD, "1 - (1 - x^a)^b", X, {"a": "shape", "b": "shape"}),
    Law("log-logistic distribution function", FIELD, "1/(1 + (x/a)^(-b))", X, {"a": "median", "b": "shape"}),
    Law("normal density with mean and deviation as columns", FIELD, "exp(-(x - m)^2/(2*s^2))/(s*sqrt(2*pi))",
        {"x": "variable", "m": "mean", "s": "standard deviation"}),
)  # fmt: skip
