export class Html {
  constructor(readonly text: string) {}
}

/** Builds HTML. Escapes every value except nested `html` results. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.reduce((text, part, index) => text + show(values[index - 1]) + part));
}

function show(value: unknown): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(show).join('');
  return String(value ?? '').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
