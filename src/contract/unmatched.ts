import { z } from 'zod';
import { flag, Id, Paging, UtcInstant } from './conventions.ts';
import { EXAMPLE } from './examples.ts';
import { PatientId } from './patients.ts';
import { AppointmentView } from './scheduling.ts';

const UnmatchedId = Id.meta({
  description: 'The id of the appointment, also after it is attached to a patient.',
  examples: [EXAMPLE.appointmentId],
});

/** An appointment that was booked at the scheduling provider for a person who is not a patient here. */
export const UnmatchedAppointmentView = z
  .object({
    ...AppointmentView.pick({
      provider_appointment_id: true,
      appointment_type_id: true,
      appointment_type: true,
      calendar_id: true,
      calendar: true,
      practitioner_id: true,
      from_date: true,
      to_date: true,
      duration_minutes: true,
      time_zone: true,
    }).shape,
    id: UnmatchedId,
    patient_id: z.null().meta({ description: 'No patient yet.', examples: [null] }),
    first_name: z.string().meta({ description: 'As entered at the provider.', examples: ['Robin'] }),
    last_name: z.string().meta({ examples: ['Example'] }),
    email: z
      .string()
      .nullable()
      .meta({ examples: ['robin@example.test'] }),
    phone_number: z
      .string()
      .nullable()
      .meta({ examples: ['+15550100'] }),
    proposed_patient_ids: z
      .array(PatientId)
      .meta({ description: 'The patient who has exactly its email address now. It is never attached automatically.' }),
    ignored_at: UtcInstant.nullable().meta({ description: 'Since when it is ignored.' }),
    created_at: UtcInstant,
  })
  .meta({ component: 'UnmatchedAppointment' });
export type UnmatchedAppointmentView = z.infer<typeof UnmatchedAppointmentView>;

export const ListUnmatchedInput = z.strictObject({
  ...Paging,
  ignored: flag.optional().meta({
    description: '`true`: only ignored appointments; by default only the others.',
    examples: [false],
  }),
});
export type ListUnmatchedInput = z.infer<typeof ListUnmatchedInput>;
export const UnmatchedIdInput = z.strictObject({ id: UnmatchedId });
export type UnmatchedIdInput = z.infer<typeof UnmatchedIdInput>;
export const AttachUnmatchedInput = z.strictObject({ id: UnmatchedId, patient_id: PatientId });
export type AttachUnmatchedInput = z.infer<typeof AttachUnmatchedInput>;
