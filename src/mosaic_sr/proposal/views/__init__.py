"""Views of the target: what it becomes when outer functions or known parts are undone, with its noise and branches."""
