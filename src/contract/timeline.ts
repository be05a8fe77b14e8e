import { z } from 'zod';
import { CursorPaging, Id, type Page, text } from './conventions.ts';

/** Filters of a patient's timeline. */
export const TIMELINE_KINDS = ['visits', 'subscriptions', 'sign_in', 'record', 'messages'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export const ListTimelineInput = z.strictObject({
  ...CursorPaging,
  patient_id: Id,
  kind: z.enum(TIMELINE_KINDS).optional(),
  /** Restricts the timeline to one appointment or subscription. */
  object_id: text(255).optional(),
});
export type ListTimelineInput = z.infer<typeof ListTimelineInput>;

/** One entry of the timeline, as a sentence. */
export type TimelineEntryView = {
  id: string;
  at: string;
  /** `other`: entries that belong to no kind; they are listed all the same. */
  kind: TimelineKind | 'other';
  title: string;
  /** Additional information: the names of changed fields, never their values. */
  note: string | null;
  /** Name of the actor, or a general description when no record with a name exists any more. */
  by: string;
  /** The appointment or subscription: its name, and the time of the appointment as recorded at that moment. */
  about: {
    id: string;
    name: string | null;
    from_date: string | null;
    /** For a rescheduled appointment: its previous time, as far as adjacent entries show it. */
    moved_from: string | null;
  } | null;
};

/** A page of the timeline; `planned`: on the first page, the next messages to the patient, the latest first. */
export type TimelineView = Page<TimelineEntryView> & { planned: TimelineEntryView[] };

/** `json` is a file, `page` the data of the print page. */
export const ExportChartInput = z.strictObject({ patient_id: Id, format: z.enum(['json', 'page']) });
export type ExportChartInput = z.infer<typeof ExportChartInput>;

/** All stored data of one patient: in addition to these fields, one list of rows per table. */
export type ChartExport = {
  format: 'carelane.patient.1';
  patient_id: string;
  exported_at: string;
  clinic: string;
  /** Tables with data on the patient that are not included, with the reason. */
  left_out: Record<string, string>;
};
