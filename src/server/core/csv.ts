export type CsvColumn<Row> = [name: string, read: (row: Row) => string | number | null];

/** RFC 4180, a head and a line for each row, a text for each batch. */
export async function* asCsv<Row>(columns: CsvColumn<Row>[], batches: AsyncIterable<Row[]>): AsyncGenerator<string> {
  // Spreadsheet programs take it for their own country's encoding otherwise.
  yield `\ufeff${columns.map(([name]) => name).join(',')}\r\n`;
  for await (const rows of batches)
    yield rows.map((row) => `${columns.map(([, read]) => cell(read(row))).join(',')}\r\n`).join('');
}

/** Spreadsheet programs calculate what begins so, even in quotes: a patient may be called `=HYPERLINK(…)`. */
const FORMULA = /^[\s]*[=+\-@\t\r]/;

/** With what a spreadsheet would run made plain text by an apostrophe. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : `${value}`;
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
