'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DailyListView } from '#contract/daily-list.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

/** Hour labels, formatted on a fixed UTC date so that daylight saving time does not apply. */
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: new Date(Date.UTC(2026, 0, 1, hour)).toLocaleTimeString('en-US', { timeStyle: 'short', timeZone: 'UTC' }),
}));
/** Option value for the clinic's time zone; no IANA zone has this name. */
const CLINIC = 'clinic';

const OUTCOME_MESSAGES: Record<NonNullable<DailyListView['last']>['became'], string> = {
  sending: 'The last one has been on its way since',
  again: 'The last one was not sent, and is tried again; last try',
  sent: 'The last one was sent',
  empty: 'The last day had no appointments; checked',
  failed: 'The last one could not be sent',
  unknown: 'The last one broke off while it was being sent, and may not have arrived:',
};

/** Configures the morning email with the practitioner's own appointments of the day. */
export function DailyListCard() {
  const trpc = useTRPC();
  const dailyList = useQuery(trpc.dailyList.get.queryOptions({}));
  return (
    <Card aria-label="Your day by email">
      <CardHeader
        title="Your day by email"
        description="An email in the morning with your appointments of the day. It names no patients unless an administrator allows it."
      />
      {/* The form stays mounted when a refetch fails, so that unsaved input is not lost. */}
      {dailyList.error && !dailyList.data ? (
        <ErrorState error={dailyList.error} onRetry={() => void dailyList.refetch()} />
      ) : (
        <CardBody>{dailyList.data ? <DailyListForm saved={dailyList.data} /> : <Skeleton className="h-20" />}</CardBody>
      )}
    </Card>
  );
}

const toValues = ({ is_on, hour, time_zone, on_empty_days }: DailyListView) => ({
  ...{ is_on, on_empty_days },
  hour: String(hour),
  time_zone: time_zone ?? CLINIC,
});

function DailyListForm({ saved }: { saved: DailyListView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const readerZone = useReaderZone();
  const form = useApiForm({
    schema: async () => (await import('./account-values.ts')).DailyListValues,
    defaultValues: toValues(saved),
    save: async ({ is_on, on_empty_days, hour, time_zone }) => {
      const updated = await client.dailyList.set.mutate({
        ...{ is_on, on_empty_days },
        hour: Number(hour),
        time_zone: time_zone === CLINIC ? null : time_zone,
      });
      form.reset(toValues(updated));
      toast.success(updated.is_on ? 'Your day by email is on' : 'Your day by email is off');
      queries.setQueryData(trpc.dailyList.get.queryKey({}), updated);
    },
  });
  const isOn = form.watch('is_on');
  const zones = [...new Set([readerZone, ...(saved.time_zone ? [saved.time_zone] : [])])];
  return (
    <Form form={form} className="grid gap-4">
      <FormRootError />
      <FormField name="is_on" label="Send me my appointments of each day" hideLabel>
        {({ value, onChange }) => (
          <Checkbox label="Send me my appointments of each day" checked={value === true} onCheckedChange={onChange} />
        )}
      </FormField>
      {isOn && (
        <>
          <div className="grid gap-4 md:grid-cols-2">
            <FormField name="hour" label="At">
              {({ value, onChange, name }) => (
                <PlainSelect options={HOURS} value={value} onValueChange={onChange} name={name} />
              )}
            </FormField>
            <FormField name="time_zone" label="On the clock of">
              {({ value, onChange, name }) => (
                <PlainSelect
                  options={[
                    { value: CLINIC, label: 'The clinic' },
                    ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
                  ]}
                  value={value}
                  onValueChange={onChange}
                  name={name}
                />
              )}
            </FormField>
          </div>
          <FormField name="on_empty_days" label="Also on days without appointments" hideLabel>
            {({ value, onChange }) => (
              <Checkbox label="Also on days without appointments" checked={value === true} onCheckedChange={onChange} />
            )}
          </FormField>
        </>
      )}
      {saved.last && (
        <p className="text-muted">
          {OUTCOME_MESSAGES[saved.last.became]} <DateTime value={saved.last.at} />.
        </p>
      )}
      <div>
        <Button type="submit" pending={form.formState.isSubmitting}>
          Save
        </Button>
      </div>
    </Form>
  );
}
