"""Writes lines of an index of bilingual sites: make_index.py LINES > index.cdxj

Sites of 2,000 pages in /en/ and /fr/, nine of ten pages in both; no languages are told.
"""
import sys

count, at, host = int(sys.argv[1]), 0, 0
out = []
while at < count:
    for page in range(1000):
        for lang in ("en", "fr"):
            if lang == "fr" and page % 10 == 0:
                continue
            url = f"https://www.site{host}.example/{lang}/section{page % 37}/article-{page * 7919 % 100003}.html"
            out.append(
                f'example,site{host})/{lang}/{page} 20240506070809 {{"url": "{url}", "mime": "text/html", "status": "200", '
                f'"length": "{4000 + page}", "offset": "{at * 5000}", "filename": "crawl/{at // 100000:05}.warc.gz"}}\n'
            )
            at += 1
            if at == count:
                break
        if at == count:
            break
    host += 1
    if len(out) > 100000 or at == count:
        sys.stdout.write("".join(out))
        out = []
