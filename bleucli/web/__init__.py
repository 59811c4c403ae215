"""The calculator: a page that scores while one types, and an endpoint for programs, on this machine alone.

- `server.serve`: from a port to requests
- `guard.Guard`: which requests are answered at all
- `api.make_app`: what is at which address
- `choices`: the options of an endpoint, out of the tables of the metrics
- `items.score_items`: texts in, scores out
- `page.make_page`: the page; `fields`: what stands in its fields
- `calculator`: what it shows; `remarks`: in words; `matches`: in its texts
"""
