import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CalendarNotes } from './calendar-notes.tsx';

const notes = (free: { missing: string | null; asOf: string | null; error: unknown }) =>
  renderToStaticMarkup(
    <CalendarNotes
      {...{ view: 'week', zone: 'America/New_York', calendars: [], former: [], types: [], mayBook: true }}
      {...{ type: undefined, offError: null, free }}
    />,
  );

test('shows the age of slots, and why some are missing', () => {
  const asOf = '2026-11-23T15:14:00Z';
  expect(notes({ missing: null, asOf, error: null })).toContain('Free times as of 10:14 AM');
  expect(notes({ missing: 'Some are missing.', asOf, error: null })).toContain('<p>Some are missing.</p>');
  expect(notes({ missing: null, asOf, error: new Error('gone') })).not.toContain('Free times as of');
});
