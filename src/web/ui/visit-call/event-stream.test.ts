import { expect, test } from 'vitest';
import { createEventReader, type StreamEvent } from './event-stream.ts';

const TEXT = ': hello\n\nevent: room\ndata: {"a":1}\n\nid: 7\nevent: signal\ndata: one\ndata: two\n\n: ping\n\n';
const EVENTS: StreamEvent[] = [
  { event: 'room', id: null, data: '{"a":1}' },
  { event: 'signal', id: '7', data: 'one\ntwo' },
];

test.each([1, 2, 7, 1000])('parses a stream that is cut into pieces of %i characters', (size) => {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  for (let at = 0; at < TEXT.length; at += size) read(TEXT.slice(at, at + size));
  expect(events).toEqual(EVENTS);
});

test('accepts CRLF line endings, and drops an incomplete event', () => {
  const events: StreamEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  read(TEXT.replaceAll('\n', '\r\n'));
  read('event: room\ndata: half');
  expect(events).toEqual(EVENTS);
});
