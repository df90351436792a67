"""Pages of a set, their blocks of text, and files of gold segments: what `make.py`, `cut.py` and `score.py` have in common.

A set is SET.warc.gz and SET.gold.tsv, with the columns `languages` (en-de, as the set names them), `url_a`, `url_b`, `text_a`, `text_b`,
one line a segment and page pair. Needs lxml and warcio.
"""
import collections
import io
import re
import uuid

import lxml.html
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

BLOCKS = set('''address article aside blockquote body caption center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
hr li main nav ol p pre section table tbody td tfoot th thead tr ul'''.split())
# Ids that DocBook generates: they differ between versions.
GENERATED = re.compile(r'id[a-z]?\d+')
SILENT = {'head', 'noscript', 'script', 'style', 'pre'}

Block = collections.namedtuple('Block', 'tag section text')
Segment = collections.namedtuple('Segment', 'languages url_a url_b text_a text_b')


def normal(text):
    """A text in the form in which texts are compared: without white space, in lower case."""
    return ''.join(text.split()).lower()


def language(url):
    """The language of a page: the first folder of its address."""
    return url.split('/')[3]


def parsed(html):
    """The tree of a page. `html` is text."""
    return lxml.html.document_fromstring(re.sub(r'^\s*<\?xml[^>]*\?>', '', html))


def written(tree):
    """The text of a page."""
    return lxml.html.tostring(tree, encoding='unicode', doctype='<!DOCTYPE html>')


def blocks(tree):
    """The runs of text between the borders of block elements, code left out: each with the tag that it stands in and the last id before
    it (`section`)."""
    found, words, section = [], [], ''

    def end(tag):
        text = ' '.join(''.join(words).split())
        words.clear()
        if text:
            found.append(Block(tag, section, text))

    def walk(element, tag):
        nonlocal section
        if not isinstance(element.tag, str) or element.tag in SILENT:
            end(tag)
        else:
            is_block = element.tag in BLOCKS
            if is_block:
                end(tag)
            name = element.get('id') or (element.get('name') if element.tag == 'a' else None)
            if name and not GENERATED.fullmatch(name):
                section = name
            inner = element.tag if is_block else tag
            words.append(' ' if element.tag == 'br' else element.text or '')
            for child in element:
                walk(child, inner)
            if is_block:
                end(inner)
        words.append(element.tail or '')

    walk(tree.find('body'), 'body')
    return found


def read_pages(path):
    """(URL, text) of the HTML pages of an archive."""
    with open(path, 'rb') as archive:
        for record in ArchiveIterator(archive):
            if record.rec_type != 'response' or record.http_headers.get_statuscode() != '200':
                continue
            kind = record.http_headers.get_header('Content-Type') or ''
            if 'html' in kind:
                body = record.content_stream().read()
                charset = re.search(rb'charset=["\']?([\w-]+)', kind.encode() + b' ' + body[:2000])
                yield record.rec_headers.get_header('WARC-Target-URI'), body.decode(charset[1].decode() if charset else 'utf-8', 'replace')


def write_pages(path, pages):
    """Writes an archive of (URL, text)."""
    with open(path, 'wb') as archive:
        writer = WARCWriter(archive, gzip=True)
        for url, text in pages:
            text = re.sub(r'charset=[\w-]+', 'charset=utf-8', text, count=1)
            headers = StatusAndHeaders('200 OK', [('Content-Type', 'text/html; charset=utf-8')], protocol='HTTP/1.1')
            fixed = {'WARC-Date': '2026-01-01T00:00:00Z', 'WARC-Record-ID': '<urn:uuid:%s>' % uuid.uuid5(uuid.NAMESPACE_URL, url)}
            writer.write_record(writer.create_warc_record(url, 'response', io.BytesIO(text.encode()), http_headers=headers, warc_headers_dict=fixed))


def read_gold(path):
    with open(path, encoding='utf-8') as rows:
        return [Segment(*row.rstrip('\n').split('\t')) for row in rows]


def write_gold(path, segments):
    with open(path, 'w', encoding='utf-8') as out:
        out.writelines('\t'.join(segment) + '\n' for segment in segments)


def different(segments):
    """Segments as texts are compared, each once in a pair of languages."""
    return {(s.languages, normal(s.text_a), normal(s.text_b)) for s in segments}
