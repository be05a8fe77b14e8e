/** Action that a key requests outside of a field. */
export type ShortcutAction = 'palette' | 'new' | 'help' | { goTo: string };
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>;

/** How long a letter may follow `g`. */
const WAIT_MS = 1500;

/**
 * Interprets keys in sequence. `letters` maps the letter after `g` to a page; with `isTyping`, keys belong to a field
 * or a dialog.
 */
export function createShortcuts(letters: Record<string, string>) {
  let goneAt = Number.NEGATIVE_INFINITY;
  return (pressed: KeyPress, { isTyping, now }: { isTyping: boolean; now: number }): ShortcutAction | null => {
    const { key, ctrlKey, metaKey, altKey, repeat } = pressed;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
    if (isTyping || ctrlKey || metaKey || altKey || repeat) return null;
    const isAfterG = now - goneAt < WAIT_MS;
    goneAt = key === 'g' && !isAfterG ? now : Number.NEGATIVE_INFINITY;
    const goTo = isAfterG ? letters[key] : undefined;
    if (goTo) return { goTo };
    if (key === '/') return 'palette';
    if (key === 'c') return 'new';
    return key === '?' ? 'help' : null;
  };
}
