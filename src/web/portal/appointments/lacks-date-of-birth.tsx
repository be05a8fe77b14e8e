'use client';
import { Link } from '#web/ui/link.tsx';
import { useMay } from '../me.tsx';

/** Warns staff that the patient cannot enter: the clinic asks for a date of birth that is not on record. */
export function LacksDateOfBirth({ patientId }: { patientId: string }) {
  const mayAdd = useMay('patients:write');
  return (
    <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
      This patient cannot enter the visit: your clinic asks for the date of birth before video visits, and theirs is not
      on record.
      {mayAdd && (
        <>
          {' '}
          <Link href={`/patients/${patientId}`} className="rounded-sm underline">
            Add it to the patient’s details
          </Link>
        </>
      )}
    </p>
  );
}
