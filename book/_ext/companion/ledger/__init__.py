"""The claims and their evidence: the audit, the pages that are made of them, and what stands around them on a page."""
