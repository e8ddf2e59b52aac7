"""Training of the learned prior: corpus, model, two stages, export. The only home of torch."""

import os

# Some virtual machines announce AMX tiles but cannot run them: torch's bfloat16 products then fail or end the process.
# A value that the user has set stays.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
