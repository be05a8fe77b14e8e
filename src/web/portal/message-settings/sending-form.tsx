'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { MessageSettingsView } from '#contract/message-settings.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

const [HOUR, DAY] = [60, 1440];

/** Offered reminder times, in minutes before the appointment. */
const OFFSETS = [7 * DAY, 3 * DAY, 2 * DAY, DAY, 4 * HOUR, 2 * HOUR, HOUR, 30];

const countBefore = (count: number, noun: string) => (count === 1 ? `1 ${noun} before` : `${count} ${noun}s before`);

/** "2 days before" */
function offsetLabel(minutes: number): string {
  if (minutes % DAY === 0) return countBefore(minutes / DAY, 'day');
  return minutes % HOUR === 0 ? countBefore(minutes / HOUR, 'hour') : countBefore(minutes, 'minute');
}

/** Hours of a day, as options of a Select. */
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour * HOUR),
  label: `${hour % 12 === 0 ? 12 : hour % 12}:00 ${hour < 12 ? 'AM' : 'PM'}`,
}));

const toValues = ({ settings }: MessageSettingsView) => ({
  ...settings.sends,
  reminders: settings.reminders,
  email: settings.reminder_channels.includes('email'),
  sms: settings.reminder_channels.includes('sms'),
  quiet: settings.quiet !== null,
  from: String(settings.quiet?.from ?? 21 * 60),
  until: String(settings.quiet?.until ?? 8 * 60),
  says_type: settings.says_type,
  says_practitioner: settings.says_practitioner,
  says_reason: settings.says_reason,
  says_patient: settings.says_patient,
  provider_mails: settings.provider_mails,
});

/** Settings for which messages are sent, when and how. */
export function SendingForm({ saved }: { saved: MessageSettingsView }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const form = useApiForm({
    schema: async () => (await import('./message-values.ts')).SendingValues,
    defaultValues: toValues(saved),
    save: async (values) => {
      const { confirmation, move, cancellation, reminder, reminders, provider_mails } = values;
      const { says_type, says_practitioner, says_reason, says_patient } = values;
      const updated = await client.messageSettings.update.mutate({
        version: saved.version,
        settings: {
          // The message texts belong to another form.
          ...saved.settings,
          sends: { confirmation, move, cancellation, reminder },
          reminders,
          reminder_channels: [...(values.email ? ['email' as const] : []), ...(values.sms ? ['sms' as const] : [])],
          quiet: values.quiet ? { from: Number(values.from), until: Number(values.until) } : null,
          ...{ says_type, says_practitioner, says_reason, says_patient, provider_mails },
        },
      });
      form.reset(toValues(updated));
      toast.success('Messages saved');
      queries.setQueryData(trpc.messageSettings.get.queryKey({}), updated);
    },
  });
  const [hasReminder, hasQuietHours] = form.watch(['reminder', 'quiet']);
  const offered = [...new Set([...OFFSETS, ...saved.settings.reminders])].sort((a, b) => b - a);
  return (
    <Form form={form} className="grid gap-6">
      <FormRootError />
      <Group legend="When something happens to an appointment">
        <Choice name="confirmation" label="Confirm an appointment when it is booked" />
        <Choice name="move" label="Tell when an appointment is moved" />
        <Choice name="cancellation" label="Tell when an appointment is canceled" />
        <Choice
          name="provider_mails"
          label={`${SCHEDULING_PROVIDER.name} writes to patients itself about what is booked, moved or canceled there`}
          hint={`Then nothing is sent twice: what is done in ${SCHEDULING_PROVIDER.name} is announced by ${SCHEDULING_PROVIDER.name}’s own emails, and reminders come from here.`}
        />
      </Group>
      <Group legend="Before an appointment">
        <Choice name="reminder" label="Remind of appointments" />
        {hasReminder && (
          <>
            <FormField name="reminders" label="When to remind">
              {({ value, onChange }) => (
                <div className="grid grid-cols-2 gap-x-5 gap-y-2 sm:grid-cols-3 lg:grid-cols-4">
                  {offered.map((minutes) => (
                    <Checkbox
                      key={minutes}
                      label={offsetLabel(minutes)}
                      checked={(value as number[]).includes(minutes)}
                      onCheckedChange={(isOn) =>
                        onChange(
                          [
                            ...(value as number[]).filter((other) => other !== minutes),
                            ...(isOn === true ? [minutes] : []),
                          ].sort((a, b) => b - a),
                        )
                      }
                    />
                  ))}
                </div>
              )}
            </FormField>
            <div className="grid gap-2">
              <Choice name="email" label="Remind by email" />
              <Choice name="sms" label="Remind by text" hint="Each text costs what your provider charges for it." />
            </div>
            <Choice
              name="quiet"
              label="No reminders at night"
              hint="They are sent in the morning, or the evening before."
            />
            {hasQuietHours && (
              <div className="grid max-w-sm grid-cols-2 gap-4">
                <FormField name="from" label="From">
                  {({ value, onChange, name }) => (
                    <PlainSelect options={HOURS} value={value} onValueChange={onChange} name={name} />
                  )}
                </FormField>
                <FormField name="until" label="Until">
                  {({ value, onChange, name }) => (
                    <PlainSelect options={HOURS} value={value} onValueChange={onChange} name={name} />
                  )}
                </FormField>
              </div>
            )}
          </>
        )}
      </Group>
      <Group legend="What messages may tell">
        <Choice
          name="says_type"
          label="Messages may name the kind of appointment"
          hint="Emails and texts can be read by others, and the kind of appointment says something about the patient’s health."
        />
        <Choice name="says_practitioner" label="Messages may name the practitioner of the appointment" />
        <Choice
          name="says_reason"
          label="The email about a cancellation may say the reason"
          hint="Only where the patient may read it: staff decide that for each cancellation. Texts never say it."
        />
        <Choice
          name="says_patient"
          label="Practitioners’ own calendars may name the patient"
          hint="This concerns calendar programs that follow the link from the account page, and the list of the day by email."
        />
      </Group>
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save messages
        </Button>
      </div>
    </Form>
  );
}

function Group({ legend, children }: { legend: string; children: React.ReactNode }) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{legend}</legend>
      {children}
    </fieldset>
  );
}

function Choice({ name, label, hint }: { name: string; label: string; hint?: string }) {
  return (
    <FormField name={name} label={label} hideLabel>
      {({ value, onChange }) => (
        <Checkbox label={label} {...(hint && { hint })} checked={value === true} onCheckedChange={onChange} />
      )}
    </FormField>
  );
}
