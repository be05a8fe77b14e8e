const PLACE = /\{\{(\w+)\}\}/g;

/** Puts values in their places, `{{name}}`. Error: a place that has none. */
export function fillIn(text: string, values: Record<string, string>): string {
  return text.replace(PLACE, (_place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`There is nothing to put at {{${name}}}`);
    return value;
  });
}
