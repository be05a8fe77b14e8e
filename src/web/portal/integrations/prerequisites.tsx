import type { IntegrationProvider } from '#contract/integrations.ts';

type Prerequisite = { what: string; how: string };

/** Requirements at a provider before it can be connected or used. */
const PREREQUISITES: Record<IntegrationProvider, Prerequisite[]> = {
  acuity: [
    {
      what: 'A plan with API access, fit for health data',
      how: 'In Acuity, under Settings, Plan. Sign Acuity’s agreement about health data there too.',
    },
    { what: 'The User ID and the API key', how: 'In Acuity, under Integrations, API: copy both.' },
    {
      what: 'An active appointment type for each kind of visit',
      how: 'In Acuity, under Appointment Types: a service with a name and a duration.',
    },
    {
      what: 'A calendar for each practitioner, with its time zone',
      how: 'In Acuity, under Availability. Tick the calendar in each appointment type that is offered on it.',
    },
    {
      what: 'Each calendar’s notification email',
      how: 'In Acuity, under Availability: the email with which its practitioner signs in here, one for each calendar.',
    },
    {
      what: 'An internal form named exactly Location, with one text question named exactly Location',
      how: 'In Acuity, under Intake Form Questions. Make it internal and tick every appointment type.',
    },
    {
      what: 'No question that a client must answer',
      how: 'In Acuity, under Intake Form Questions: make the questions of other forms optional.',
    },
  ],
  stripe: [
    {
      what: 'The details of your clinic and a bank account',
      how: 'Connect makes the account and leads to Stripe’s own pages, which ask for them.',
    },
    {
      what: 'A product with a recurring price for each plan',
      how: 'In the Stripe dashboard, under Product catalog, once the account is there.',
    },
    {
      what: 'Stripe’s webhook for connected accounts',
      how: 'The operator of this service sets it up once: the guide “Going live” says how.',
    },
  ],
};

/** Shown before a provider is connected. */
export function Prerequisites({ provider }: { provider: IntegrationProvider }) {
  return (
    <div className="grid gap-1.5">
      <h3 className="font-medium">What you need</h3>
      <ol className="grid list-decimal gap-1.5 pl-5 text-[13px]">
        {PREREQUISITES[provider].map(({ what, how }) => (
          <li key={what}>
            {what}. <span className="text-muted">{how}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
