/** The syntax of values in a language. */
export type Writing = {
  text(value: string): string;
  key(name: string): string;
  word(value: boolean | null): string;
};

/** The maximum line width; wider values have one line for each entry. */
const WIDEST = 56;

/**
 * Formats a JSON value as a literal.
 * @param step spaces for each level of nesting
 * @param indent spaces before the literal
 */
export function literal(value: unknown, writing: Writing, step: number, indent = 0): string {
  if (typeof value === 'string') return writing.text(value);
  if (typeof value === 'boolean' || value === null) return writing.word(value);
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const inner = indent + step;
  const entries = isList
    ? value.map((one) => literal(one, writing, step, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${writing.key(name)}: ${literal(one, writing, step, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const space = isList ? '' : ' ';
  const line = `${open}${space}${entries.join(', ')}${space}${close}`;
  if (indent + line.length <= WIDEST && !line.includes('\n')) return line;
  const margin = ' '.repeat(inner);
  return `${open}\n${entries.map((entry) => `${margin}${entry},\n`).join('')}${' '.repeat(indent)}${close}`;
}
