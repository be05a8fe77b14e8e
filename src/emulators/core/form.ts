export type FormValue = string | FormValue[] | FormValues;
export type FormValues = { [key: string]: FormValue };

const MAX_DEPTH = 12;
const MAX_PAIRS = 2000;

/** The form cannot be decoded: nested too deeply, too many pairs, or a key with both a value and a hash. */
export class FormError extends Error {
  override name = 'FormError';
}

/**
 * Decodes `application/x-www-form-urlencoded` text (or a query string) with bracketed keys:
 * `items[0][price]=p&expand[]=a&expand[]=b` becomes `{items: [{price: 'p'}], expand: ['a', 'b']}`.
 * Keys that count up from 0 become arrays; every leaf stays a string, as it is on the wire.
 * @throws FormError
 */
export function decodeForm(text: string): FormValues {
  const root = emptyNode();
  let pairs = 0;
  for (const [key, value] of new URLSearchParams(text)) {
    if (++pairs > MAX_PAIRS) throw new FormError(`More than ${MAX_PAIRS} fields`);
    insert(root, segmentsOf(key), value);
  }
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, withArrays(value)]));
}

/** Has no prototype, so keys such as `constructor` are ordinary keys. */
function emptyNode(): FormValues {
  return Object.create(null);
}

function segmentsOf(key: string): string[] {
  const open = key.indexOf('[');
  if (open <= 0) return [key];
  const rest = key.slice(open);
  if (!/^(\[[^[\]]*\])+$/.test(rest)) return [key];
  return [key.slice(0, open), ...rest.slice(1, -1).split('][')];
}

function insert(root: FormValues, segments: string[], value: string): void {
  if (segments.length > MAX_DEPTH) throw new FormError('Nested too deeply');
  let node = root;
  segments.forEach((segment, index) => {
    const key = segment === '' && index > 0 ? String(Object.keys(node).length) : segment;
    if (key === '__proto__') throw new FormError(`Invalid key: ${key}`);
    if (index === segments.length - 1) {
      node[key] = value;
      return;
    }
    node[key] ??= emptyNode();
    const next = node[key];
    if (typeof next !== 'object' || Array.isArray(next)) throw new FormError(`${key} is both a value and a hash`);
    node = next;
  });
}

function withArrays(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const children = Object.entries(value).map(([key, child]) => [key, withArrays(child)] as const);
  const isArray = children.length > 0 && children.every(([key], index) => key === String(index));
  return isArray ? children.map(([, child]) => child) : Object.fromEntries(children);
}
