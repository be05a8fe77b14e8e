/** One server-sent event; `data` is unparsed. */
export type StreamEvent = { event: string; id: string | null; data: string };

/** Returns a parser for a stream of server-sent events (WHATWG HTML) that accepts pieces of any size. */
export function createEventReader(onEvent: (event: StreamEvent) => void) {
  let rest = '';
  let current: StreamEvent = { event: 'message', id: null, data: '' };
  function line(text: string): void {
    if (text === '') {
      if (current.data) onEvent({ ...current, data: current.data.slice(0, -1) });
      current = { event: 'message', id: null, data: '' };
      return;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(text) ?? [];
    if (field === 'event') current.event = value;
    else if (field === 'id') current.id = value;
    else if (field === 'data') current.data += `${value}\n`;
  }
  return (piece: string): void => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  };
}
