'use client';
import { Check, CircleCheck, CircleX, Hourglass } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { createApiError, firstErrorMessage, readApiErrors } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { actionLabel, PAUSED, priceLabel } from '../../ui/checkout-terms.ts';
import { Field } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { formatInstant } from '../../ui/format-time.ts';
import { Input } from '../../ui/input.tsx';
import { callLinkApi, pollLink, takeLinkToken } from '../../ui/links/link.ts';
import { PlanSummary } from '../../ui/plan-summary.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { InvalidLink, LinkUnavailable } from '../frame/invalid-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { CardFields } from './card-fields.tsx';
import { type Outcome, outcomeOf } from './checkout-messages.ts';

const ICONS = { done: CircleCheck, working: Hourglass, ended: CircleX };
const TONES: Record<Outcome, string> = {
  done: 'bg-good-soft text-good-ink',
  working: 'bg-info-soft text-info-ink',
  ended: 'bg-neutral-soft text-neutral-ink',
};

function outcomeMessages(view: CheckoutView, zone: string): Record<Outcome, [title: string, text: string]> {
  const plan = view.name ?? 'your subscription';
  const price = priceLabel(view);
  const trial = view.status === 'trialing' && view.trial_end;
  const isPaused = view.status === 'paused';
  return {
    done: [
      trial || isPaused ? 'Your card is saved' : 'You are all set',
      isPaused
        ? PAUSED
        : trial
          ? `${plan} is free until ${formatInstant(trial, 'date', zone)}${price ? `, then ${price}` : ''}.`
          : `${plan} is active. You can close this page.`,
    ],
    working: ['Almost there', `Your payment is on its way. ${view.clinic} sees it as soon as it has arrived.`],
    ended: [
      'This subscription has ended',
      `Nothing more is charged. Ask ${view.clinic} if you would like to start again.`,
    ],
  };
}

/** The outcome. The heading takes the focus, so that a screen reader announces it. */
function CheckoutOutcome({ view }: { view: CheckoutView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const zone = useReaderZone();
  useEffect(() => heading.current?.focus(), []);
  const outcome = outcomeOf(view);
  const [title, text] = outcomeMessages(view, zone)[outcome];
  const Icon = ICONS[outcome];
  return (
    <div className="flex flex-col items-center py-10 text-center">
      <span className={`mb-4 grid size-14 place-items-center rounded-full ${TONES[outcome]}`}>
        <Icon aria-hidden className="size-7" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
        {title}
      </h1>
      <p className="mt-2 max-w-sm text-balance text-muted">{text}</p>
    </div>
  );
}

/** Polls until the payment has arrived. */
const waitUntilSettled = (token: string): Promise<CheckoutView> =>
  pollLink(
    () => openLink(token),
    (view) => view.next_action === 'none' && view.status !== 'incomplete',
  );

const NO_TOKEN = createApiError(
  'not_found',
  'Open the whole link from your message, or ask your clinic for a new one.',
);

/** The page behind a checkout link: opens it, takes the card, and shows the outcome. */
export function Checkout() {
  const [view, setView] = useState<CheckoutView | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isDeclined, setDeclined] = useState(false);

  const load = useCallback(async (read: (token: string) => Promise<CheckoutView>) => {
    const token = takeLinkToken('checkout');
    setError(token ? null : NO_TOKEN);
    if (!token) return;
    try {
      setView(await read(token));
    } catch (failure) {
      setError(failure);
    }
  }, []);

  const redeem = async (code: string) => {
    const token = takeLinkToken('checkout');
    if (token) setView(await redeemCode(token, code));
  };

  useEffect(() => {
    // A bank's page returns here with its outcome in the query, which may arrive before Stripe's own update. After a
    // declined payment there is nothing to wait for.
    const outcome = new URLSearchParams(window.location.search).get('redirect_status');
    setDeclined(outcome === 'failed');
    void load(outcome && outcome !== 'failed' ? waitUntilSettled : openLink);
  }, [load]);

  if (error) {
    const isInvalid = readApiErrors(error)[0].code === 'not_found';
    return (
      <main className="flex-1">
        {isInvalid ? (
          <InvalidLink
            title="This payment page cannot be opened"
            error={error}
            why="The link is not complete, was used already, or is too old."
            askFor="for a new one"
          />
        ) : (
          <LinkUnavailable
            title="This payment page cannot be opened now"
            error={error}
            onRetry={() => void load(openLink)}
          />
        )}
      </main>
    );
  }
  if (!view)
    return (
      <main className="grid flex-1 content-start gap-4" aria-busy>
        <h1 className="sr-only">Payment</h1>
        <p role="status" className="sr-only">
          Opening your payment page
        </p>
        <Skeleton className="h-6 w-48" />
        <Skeleton className="h-24" />
        <Skeleton className="h-40" />
      </main>
    );
  return (
    <PatientPage clinic={view.clinic}>
      {view.next_action === 'none' || !view.client_secret ? (
        <CheckoutOutcome view={view} />
      ) : (
        <CardStep
          view={view}
          isDeclined={isDeclined}
          onConfirmed={() => {
            setDeclined(false);
            return load(waitUntilSettled);
          }}
          onRedeem={redeem}
        />
      )}
    </PatientPage>
  );
}

/** Opens a checkout link. */
const openLink = (token: string): Promise<CheckoutView> => callLinkApi('checkout.open', token);

/** Applies a promotion code, and returns the new amount due. */
const redeemCode = (token: string, code: string): Promise<CheckoutView> =>
  callLinkApi('checkout.redeemCode', token, { code });

type CardStepProps = {
  view: CheckoutView;
  /** The patient returned from the bank's page, which declined the payment. */
  isDeclined: boolean;
  onConfirmed: () => Promise<void>;
  onRedeem: (code: string) => Promise<void>;
};

/** The payment step: the plan summary and the card fields. */
function CardStep({ view, isDeclined, onConfirmed, onRedeem }: CardStepProps) {
  return (
    <div className="grid gap-6">
      <h1 className="text-xl font-semibold tracking-tight">
        {view.next_action === 'setup' ? 'Save a card' : 'Complete your payment'}
      </h1>
      <div className="grid gap-3">
        <PlanSummary view={view} />
        {view.takes_code && <PromotionCode redeemed={view.discount?.code ?? null} onRedeem={onRedeem} />}
      </div>
      {isDeclined && <FormError>Your bank declined the payment. Try again, or use another card.</FormError>}
      <CardFields
        client={view.payment_client}
        clientSecret={view.client_secret ?? ''}
        label={actionLabel(view)}
        saves={view.next_action === 'setup'}
        onConfirmed={onConfirmed}
      />
    </div>
  );
}

type PromotionCodeProps = { redeemed: string | null; onRedeem: (code: string) => Promise<void> };

/** The promotion code field; the summary above shows the discount before the payment. */
function PromotionCode({ redeemed, onRedeem }: PromotionCodeProps) {
  const [code, setCode] = useState('');
  const [pending, setPending] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const redeem = async (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    const trimmed = code.trim();
    if (!trimmed) return setMessage('Type the code first.');
    setPending(true);
    setMessage(null);
    try {
      await onRedeem(trimmed);
      setCode('');
    } catch (error) {
      setMessage(firstErrorMessage(error));
    }
    setPending(false);
  };
  return (
    <form onSubmit={redeem} noValidate className="grid gap-2">
      <div className="flex items-start gap-2">
        <Field label="Promotion code" error={message ?? undefined} className="min-w-0 flex-1">
          <Input
            value={code}
            maxLength={100}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        {/* Aligned with the field, below its label. */}
        <Button type="submit" pending={pending} className="mt-[26px]">
          Apply
        </Button>
      </div>
      <p role="status" className="flex items-center gap-1.5 text-good-ink empty:hidden">
        {redeemed && (
          <>
            <Check aria-hidden className="size-4 shrink-0" />
            <span className="wrap-anywhere">The code {redeemed} is applied.</span>
          </>
        )}
      </p>
    </form>
  );
}
