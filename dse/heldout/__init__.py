"""Estimates against measurements they have not seen: joins the estimation station to the scores of `dse.fidelity`."""
