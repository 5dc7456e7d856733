"""What nobody measured: speed, accuracy after quantization, tail, each with interval, grade and basis."""
