const PLACE = /\{\{(\w+)\}\}/g;

/**
 * Replaces the placeholders `{{name}}` with values.
 * @throws Error for a placeholder without a value
 */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(PLACE, (_place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`There is nothing to put at {{${name}}}`);
    return value;
  });
}
