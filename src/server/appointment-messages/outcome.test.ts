import { expect, test } from 'vitest';
import { apiError } from '#server/core/errors.ts';
import { outcomeOfText } from './outcome.ts';

test.each([
  [400, 21211, 'no_number'],
  [400, 21614, 'takes_no_texts'],
  [400, 21610, 'stopped'],
  [400, 21212, 'refused'],
])('Twilio’s %i with code %i is a failure: %s', (status, code, why) => {
  const error = apiError('provider_error', `Twilio refused the message: ${status}, code ${code}`);
  expect(outcomeOfText(error)).toEqual({ became: 'failed', why });
});
