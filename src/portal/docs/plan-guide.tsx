import type { Deployment, Guide } from './guide-section.tsx';
import { planCode } from './plan-code.ts';
import { Paragraph, Points } from './prose.tsx';

/** How a plan or a promotion code is made without the dashboard that a sandbox's Stripe does not have. */
export function planGuides({ environment }: Deployment): Guide[] {
  if (environment !== 'sandbox') return [];
  return [
    {
      anchor: 'plans-and-codes',
      title: 'Making a plan or a promotion code',
      body: (
        <>
          <Paragraph>
            A plan is an active recurring price at Stripe, on the clinic’s connected account. The sandbox’s own Stripe
            has no dashboard, so plans and promotion codes are made by its API, as they are at Stripe itself.
          </Paragraph>
          <Points
            items={[
              '`npm start` prints its address, its secret key `sk_test_…` and the clinic’s account `acct_…`; they are in `.run/card.json`, too.',
              'The days of a trial are the price’s metadata `trial_period_in_days`, 1 to 730.',
              'A new price is among the plans within a minute, and can be subscribed to at once.',
              'With test keys of your own Stripe account leave the address out, and use the account that the Integrations page shows.',
            ]}
          />
        </>
      ),
      examples: planCode().map(({ title, code }) => ({ title, code })),
    },
  ];
}
