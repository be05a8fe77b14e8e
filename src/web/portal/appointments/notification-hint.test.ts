import { expect, test } from 'vitest';
import type { NoticePreview } from '#contract/visit-messages.ts';
import { noticeSentence } from './notification-hint.tsx';

const notice = (more: Partial<NoticePreview>): NoticePreview => ({
  ...{ patient_id: 'p', kind: 'move', channel: 'email', address: 'ada@example.test', why: null },
  ...more,
});

test.each<[Partial<NoticePreview>, string]>([
  [{}, 'The patient (ada@example.test) gets an email that the appointment is moved.'],
  [{ kind: 'cancellation' }, 'The patient (ada@example.test) gets an email that the appointment is canceled.'],
  [
    { kind: 'confirmation', address: null, why: 'no_address' },
    'The patient gets no message that the appointment is booked: there is no email address on record. Please tell them yourself.',
  ],
  [
    { why: 'bounced' },
    'The patient gets no message that the appointment is moved: an earlier message to ada@example.test could not be delivered. Please tell them yourself.',
  ],
  [
    { why: 'off' },
    'The patient gets no message that the appointment is moved: your clinic has turned these messages off. Please tell them yourself.',
  ],
  [
    { why: 'refused' },
    'The patient gets no message that the appointment is moved: it cannot be sent. Please tell them yourself.',
  ],
])('says where a message goes, or why the patient gets none: %j', (more, sentence) => {
  expect(noticeSentence(notice(more))).toBe(sentence);
});
