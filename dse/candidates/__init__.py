"""Every design worth judging: which runs exist (``runs``), what each costs and takes (``evaluate``), which limits it
breaks (``limits``), gathered chunk by chunk (``table``)."""
