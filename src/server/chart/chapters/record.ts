import { type Chapter, fieldNames, type Happening } from './chapter.ts';

const count = (one: string, list: unknown): string | null => {
  const many = typeof list === 'number' ? list : 0;
  return many > 0 ? `${many} ${one}${many === 1 ? '' : 's'}` : null;
};

/** The patient's record itself: what it says, and whether it is in use. */
export const record: Chapter = {
  kind: 'record',
  tells: {
    'patients.create': 'Added as a patient',
    'patients.update': ({ details }: Happening) => {
      const note = fieldNames(details.changed);
      return note ? { title: 'Details changed', note } : 'Details saved without a change';
    },
    'patients.change_email': 'Email address changed',
    'patients.confirm_address': 'Address confirmed by the patient',
    'patients.give_up_address': 'Email address taken off, for it was never confirmed',
    'patients.restore_email': 'Email address put back',
    'patient.created': 'Added as a patient',
    'patient.updated': 'Details changed',
    'patients.end_care': ({ details }: Happening) => {
      const parts = [count('visit', details.visits), count('subscription', details.subscriptions)].filter(Boolean);
      return { title: 'End of care begun', note: parts.length > 0 ? `${parts.join(' and ')} to be ended` : undefined };
    },
    'patients.archive': 'Archived',
    'patients.unarchive': 'Brought back from the archive',
    'patient.archived': 'Archived',
    'patient.unarchived': 'Brought back from the archive',
    'patients.export': 'Copy taken of all that is kept',
  },
};
