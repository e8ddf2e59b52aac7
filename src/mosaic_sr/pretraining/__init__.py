"""Training of the learned prior: corpus, model, two stages, export. The only home of torch."""
