'use client';
import dynamic from 'next/dynamic';
import { useEffect, useRef, useState } from 'react';
import type { ManagedPayment, ManagedPreviewView, ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { discountLabel } from '../../ui/checkout-terms.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { formatMoney } from '../../ui/format-money.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { whenIdle } from '../../ui/when-idle.ts';
import { LazyCardFields } from '../checkout/lazy-card-fields.tsx';
import { InvalidLink, LinkUnavailable } from '../frame/invalid-link.tsx';
import { PatientPage } from '../frame/patient-page.tsx';
import { CardChange } from './card-change.tsx';
import {
  billLabel,
  cancelMessage,
  hasEnded,
  mayNotCancelMessage,
  mayUndo,
  nextBillLabel,
  noPaymentsMessage,
  planChangeMessage,
  priceOf,
  settledMessage,
  statusLabelOf,
} from './manage-messages.ts';
import { type Steps, useManagedSubscription } from './use-managed-subscription.ts';

const loadOptions = () => import('./plan-options.tsx').then((module) => module.PlanOptions);
const PlanOptions = dynamic(loadOptions, { ssr: false });

/** Lists other plans, previews the price of a change, and changes the plan. */
function PlanChange({ view, steps }: { view: ManagedSubscriptionView; steps: Steps }) {
  const zone = useReaderZone();
  useEffect(() => whenIdle(loadOptions), []);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState('');
  const [preview, setPreview] = useState<ManagedPreviewView | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const choose = async (price_id: string) => {
    setChosen(price_id);
    setPreview(null);
    setError(null);
    await steps.query<ManagedPreviewView>('manage.preview', { price_id }).then(setPreview, setError);
  };
  const close = () => {
    setOpen(false);
    setChosen('');
    setPreview(null);
    setError(null);
  };
  const change = async () => {
    if (!preview || pending) return;
    setPending(true);
    const { price_id, previewed_at } = preview;
    const name = view.plans.find((plan) => plan.price_id === price_id)?.name ?? 'another plan';
    await steps.act('manage.change', { price_id, previewed_at }, `Your plan is ${name} now.`).then(close, setError);
    setPending(false);
  };
  // Ignores a late response for a previously chosen plan.
  const currentPreview = preview?.price_id === chosen ? preview : null;
  return (
    <Card>
      <CardBody className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h2 id="other-plans" className="font-semibold">
            Other plans
          </h2>
          {open ? (
            // The second click of a double click on "Change plan" lands here, and must not close the options.
            <Button onClick={({ detail }) => detail < 2 && close()}>Keep this plan</Button>
          ) : (
            <Button onClick={() => setOpen(true)}>Change plan</Button>
          )}
        </div>
        {open && (
          <>
            <PlanOptions
              plans={view.plans}
              chosen={chosen}
              onChoose={(price_id) => void choose(price_id)}
              labelledBy="other-plans"
            />
            {chosen && !currentPreview && error === null && (
              <div role="status">
                <span className="sr-only">Looking at what the change costs</span>
                <Skeleton className="h-10" />
              </div>
            )}
            {currentPreview && (
              <div className="grid gap-3">
                <p role="status">{planChangeMessage(currentPreview, zone)}</p>
                <Button variant="primary" size="lg" pending={pending} onClick={() => void change()}>
                  Change to this plan
                </Button>
              </div>
            )}
          </>
        )}
        {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
      </CardBody>
    </Card>
  );
}

type DueNowProps = {
  view: ManagedSubscriptionView;
  clientSecret: string;
  onDone: (saves: boolean) => Promise<void>;
};

/** The payment or card that is required: the open bill is paid at once with the new card. */
function DueNow({ view, clientSecret, onDone }: DueNowProps) {
  const saves = view.next_action === 'setup';
  const due = formatMoney(view.amount_due, view.currency);
  return (
    <Card>
      <CardHeader
        title={saves ? 'Save a card' : `Pay ${due}`}
        description={saves ? 'Nothing is charged today.' : 'Later bills are paid with this card, too.'}
      />
      <CardBody>
        <LazyCardFields
          client={view.payment_client}
          clientSecret={clientSecret}
          label={saves ? 'Save card' : `Pay ${due}`}
          saves={saves}
          onConfirmed={() => onDone(saves)}
        />
      </CardBody>
    </Card>
  );
}

/** The page where a patient sees a subscription, and changes what the clinic permits. */
export function ManagePage() {
  const { stage, query, act, retry, settle } = useManagedSubscription();
  /** The confirmation of the last action, visible and announced to screen readers. */
  const [done, setDone] = useState<string | null>(null);
  const steps = {
    query,
    act: async (step: string, more: object, confirmation: string) => {
      setDone(null);
      await act(step, more);
      setDone(confirmation);
    },
  };

  if (stage.at !== 'open')
    return (
      <main className="grid flex-1 content-start gap-4" aria-busy={stage.at === 'opening'}>
        {stage.at === 'opening' && (
          <>
            <h1 className="sr-only">Your subscription</h1>
            <p role="status" className="sr-only">
              Opening your subscription
            </p>
            <Skeleton className="h-6 w-48" />
            <Skeleton className="h-28" />
            <Skeleton className="h-28" />
            <Skeleton className="h-40" />
          </>
        )}
        {stage.at === 'invalid' && (
          <InvalidLink
            title="This page cannot be opened"
            error={stage.error}
            why="The link is not complete, or is too old."
            askFor="for a new one"
          />
        )}
        {stage.at === 'trouble' && (
          <LinkUnavailable title="This page cannot be opened now" error={stage.error} onRetry={() => void retry()} />
        )}
      </main>
    );

  const { view } = stage;
  const settled = async (saves: boolean) => {
    setDone(null);
    const opened = await settle();
    setDone(opened ? settledMessage(opened, saves) : null);
  };
  return (
    <PatientPage clinic={view.clinic}>
      <div className="grid gap-4">
        <SubscriptionStatus view={view} />
        <p role="status" className="rounded-md bg-good-soft px-3 py-2 text-good-ink empty:hidden">
          {done}
        </p>
        {/* A paused subscription resumes with a card that is saved for it, not with the setup intent of its trial. */}
        {view.client_secret && view.next_action !== 'none' && view.status !== 'paused' ? (
          <DueNow view={view} clientSecret={view.client_secret} onDone={settled} />
        ) : (
          <CardChange view={view} steps={steps} />
        )}
        {view.plans.length > 0 && <PlanChange view={view} steps={steps} />}
        <BillList payments={view.payments} />
        {view.may_cancel && <CancelStep view={view} steps={steps} />}
        <p className="text-center text-muted empty:hidden">{noPaymentsMessage(view)}</p>
        <p className="text-center text-muted empty:hidden">{mayNotCancelMessage(view)}</p>
      </div>
    </PatientPage>
  );
}

/** The subscription with its status and the next step. */
function SubscriptionStatus({ view }: { view: ManagedSubscriptionView }) {
  const zone = useReaderZone();
  const { label, tone, text } = statusLabelOf(view, zone);
  const price = priceOf(view);
  // A discount for a single bill is used up if the next bill has the full price.
  const isUsedUp = view.next_bill !== null && view.next_bill.amount_due === view.plan_price;
  return (
    <Card>
      <CardBody className="grid gap-3">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <h1 className="text-lg font-semibold tracking-tight wrap-anywhere">{view.name ?? 'Your subscription'}</h1>
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </div>
        <p>{text}</p>
        <dl className="grid gap-2 text-muted empty:hidden [&>div]:flex [&>div]:justify-between [&>div]:gap-4 [&_dd]:text-right [&_dd]:text-ink">
          {price && (
            <div>
              <dt>Price</dt>
              <dd>{price}</dd>
            </div>
          )}
          {view.discount && !isUsedUp && (
            <div>
              <dt>Discount</dt>
              <dd className="wrap-anywhere">{discountLabel(view.discount, view.currency)}</dd>
            </div>
          )}
          {view.next_bill && (
            <div>
              <dt>Next bill</dt>
              <dd>{nextBillLabel(view.next_bill, view.currency, zone)}</dd>
            </div>
          )}
        </dl>
      </CardBody>
    </Card>
  );
}

/** All bills, each with its receipt or invoice. */
function BillList({ payments }: { payments: ManagedPayment[] }) {
  return (
    <Card>
      <CardHeader title="Bills" />
      {payments.length === 0 ? (
        <CardBody className="text-muted">Nothing was billed yet.</CardBody>
      ) : (
        <ul className="divide-y divide-line">
          {payments.map((bill) => (
            <li key={bill.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3">
              <span className="flex items-center gap-3">
                <DateTime value={bill.created_at} shape="date" />
                <Badge tone={billLabel(bill).tone}>{billLabel(bill).label}</Badge>
              </span>
              <span className="ml-auto flex items-center gap-3">
                <BillLink bill={bill} />
                <span className="min-w-16 text-right font-medium tabular-nums">
                  {formatMoney(bill.total, bill.currency)}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function BillLink({ bill }: { bill: ManagedPayment }) {
  const address = bill.receipt_url ?? bill.pdf_url ?? bill.invoice_url;
  if (!address) return null;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="rounded-sm py-1 text-accent-ink underline underline-offset-3"
    >
      {bill.receipt_url ? 'Receipt' : 'Invoice'}
      {bill.number && <span className="sr-only"> {bill.number}</span>}
      <span className="sr-only"> (opens a new tab)</span>
    </a>
  );
}

/** Cancels the subscription after a confirmation; a scheduled cancellation can be undone. */
function CancelStep({ view, steps }: { view: ManagedSubscriptionView; steps: Steps }) {
  const zone = useReaderZone();
  const [isConfirming, setConfirming] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const question = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isConfirming) question.current?.focus();
  }, [isConfirming]);
  if (hasEnded(view)) return null;

  const act = async (step: string, confirmation: string) => {
    if (pending) return;
    setPending(true);
    setError(null);
    await steps.act(step, {}, confirmation).then(() => setConfirming(false), setError);
    setPending(false);
  };
  const errorNotice = error !== null && <FormError>{firstErrorMessage(error)}</FormError>;
  if (mayUndo(view))
    return (
      <div className="grid gap-2">
        <Button
          variant="primary"
          size="lg"
          pending={pending}
          onClick={() => void act('manage.undo', 'It goes on as before.')}
        >
          Keep my subscription
        </Button>
        {errorNotice}
      </div>
    );
  if (!isConfirming)
    return (
      <Button variant="link" className="justify-self-center" onClick={() => setConfirming(true)}>
        Cancel subscription
      </Button>
    );
  return (
    <Card>
      <CardBody className="grid gap-3">
        <h2 ref={question} tabIndex={-1} className="font-semibold outline-none">
          Cancel {view.name ?? 'this subscription'}?
        </h2>
        <p>{cancelMessage(view, zone)}</p>
        {errorNotice}
        <div className="flex flex-wrap gap-2 *:flex-1">
          <Button size="lg" onClick={() => setConfirming(false)}>
            Keep it
          </Button>
          <Button
            variant="danger"
            size="lg"
            pending={pending}
            onClick={() => void act('manage.cancel', 'Your subscription is canceled.')}
          >
            Cancel subscription
          </Button>
        </div>
      </CardBody>
    </Card>
  );
}
