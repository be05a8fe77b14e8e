import { fieldNames, type TimelineChange, type TimelineSection } from './section.ts';

const count = (noun: string, list: unknown): string | null => {
  const total = typeof list === 'number' ? list : 0;
  return total > 0 ? `${total} ${noun}${total === 1 ? '' : 's'}` : null;
};

/** The patient's record: its data and its status. */
export const recordSection: TimelineSection = {
  kind: 'record',
  texts: {
    'patients.create': 'Added as a patient',
    'patients.update': ({ details }: TimelineChange) => {
      const note = fieldNames(details.changed);
      return note ? { title: 'Details were changed', note } : 'Details were saved without a change';
    },
    'patients.change_email': 'The email address was changed',
    'patients.confirm_address': 'An email address or number was confirmed',
    'patients.release_address': 'An email address was removed because it was never confirmed',
    'patients.restore_email': 'The email address was put back',
    'patient.created': 'Added as a patient',
    'patient.updated': 'Details were changed',
    'patients.end_care': ({ details }: TimelineChange) => {
      const parts = [count('appointment', details.visits), count('subscription', details.subscriptions)].filter(
        Boolean,
      );
      return {
        title: 'Care was set to end',
        note: parts.length > 0 ? `${parts.join(' and ')} to be ended` : undefined,
      };
    },
    'patients.archive': ({ details }: TimelineChange) =>
      details.merged_into ? 'The record was merged into another one' : 'The record was archived',
    'patients.merge': 'Another record was merged into this one',
    'patients.unarchive': 'The record was brought back from the archive',
    'patient.archived': 'The record was archived',
    'patient.merged': 'Another record was merged into this one',
    'patient.unarchived': 'The record was brought back from the archive',
    'task.created': 'A task was made',
    'task.updated': 'A task was changed',
    'task.completed': 'A task was completed',
    'tasks.create': 'A task was made',
    'tasks.complete': 'A task was completed',
    'tasks.update': 'A task was changed',
    'notes.create': ({ details }: TimelineChange) =>
      details.about === 'appointment' ? 'A note on an appointment was written' : 'A note was written',
    'notes.update': ({ details: { fields, pinned } }: TimelineChange) =>
      Array.isArray(fields) && fields.includes('text')
        ? 'A note was changed'
        : `A note was ${pinned ? 'pinned' : 'unpinned'}`,
    'notes.remove': 'A note was removed',
    'patients.export': 'Everything on record was exported',
  },
};
