export type CsvColumn<Row> = [name: string, read: (row: Row) => string | number | null];

/** Writes CSV as in RFC 4180: a header, then one line per row, one chunk per batch. */
export async function* asCsv<Row>(columns: CsvColumn<Row>[], batches: AsyncIterable<Row[]>): AsyncGenerator<string> {
  // Without a byte order mark, spreadsheet programs assume the local encoding instead of UTF-8.
  yield `\ufeff${columns.map(([name]) => name).join(',')}\r\n`;
  for await (const rows of batches)
    yield rows.map((row) => `${columns.map(([, read]) => cell(read(row))).join(',')}\r\n`).join('');
}

/** Spreadsheet programs evaluate cells with these prefixes, even in quotes: a patient may be called `=HYPERLINK(…)`. */
const FORMULA = /^[\s]*[=+\-@\t\r]/;

/** Prefixes formulas with an apostrophe, which makes them plain text. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : `${value}`;
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
