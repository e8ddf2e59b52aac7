"""The benchmark instrument: suites of problems, methods, measures, a verifier, a runner and reports."""
