export type BufferedKeys = { text: string; entered: boolean };
type Keys = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

/**
 * Buffers the keys that are typed while a component loads: `start` captures all keys, `take` returns them and stops.
 * Escape cancels.
 */
export function createKeyBuffer(keys: Keys, onEscape: () => void) {
  let typed: BufferedKeys = { text: '', entered: false };
  const capture = (event: Event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event as KeyboardEvent;
    if (ctrlKey || metaKey || altKey || isComposing) return;
    if (key === 'Escape') {
      stop();
      onEscape();
    } else if (key === 'Enter') typed = { ...typed, entered: true };
    else if (key === 'Backspace') typed = { ...typed, text: typed.text.slice(0, -1) };
    else if ([...key].length === 1) typed = { ...typed, text: typed.text + key };
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const stop = () => keys.removeEventListener('keydown', capture, { capture: true });
  return {
    start() {
      typed = { text: '', entered: false };
      keys.addEventListener('keydown', capture, { capture: true });
    },
    take(): BufferedKeys {
      stop();
      const buffered = typed;
      typed = { text: '', entered: false };
      return buffered;
    },
  };
}
