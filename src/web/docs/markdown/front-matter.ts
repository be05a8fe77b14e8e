const BLOCK = /^---\n([\s\S]*?)\n---\n/;

/**
 * Parses the front matter (`name: value` lines between two `---`) and returns the remaining text; a first heading is
 * the title.
 */
export function frontMatter(text: string): { fields: Record<string, string>; body: string } {
  const [whole, block = ''] = BLOCK.exec(text) ?? [''];
  const lines = block.split('\n').filter((line) => line.includes(':'));
  const fields = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
  const [heading, title] = /^\s*# (.+)\n/.exec(text.slice(whole.length)) ?? [''];
  const body = text.slice(whole.length + heading.length).trim();
  return { fields: { ...(title && { title: title.replaceAll('`', '') }), ...fields }, body: `${body}\n` };
}
