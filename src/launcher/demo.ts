import { parseArgs } from 'node:util';
import { readTarget, runDemo } from './run-demo.ts';

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    'auth-url': { type: 'string' },
    'client-id': { type: 'string' },
    'client-secret': { type: 'string' },
    'stripe-url': { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.log(`npm run demo [-- options]
  A server application that uses only the public API: from a new patient to a paid subscription and a booked appointment.
  Without options it reads .run/card.json of the copy that npm start serves.
    --base-url URL       the API, e.g. https://care.example.org/api/v1
    --auth-url URL       the token address; default: beside the API, /identity/oauth2/token
    --client-id ID       the application (or CARELANE_CLIENT_ID)
    --client-secret S    its secret (or CARELANE_CLIENT_SECRET, which no process list shows)
    --stripe-url URL     where Stripe answers; default: https://api.stripe.com`);
} else {
  try {
    await runDemo(readTarget(values));
  } catch (error) {
    console.error(`\n✗ ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
