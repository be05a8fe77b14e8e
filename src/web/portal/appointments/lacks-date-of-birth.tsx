import Link from 'next/link';

/** Said to staff where the clinic asks for a date that it does not have: the patient would stand before a closed door. */
export const LacksDateOfBirth = ({ patientId }: { patientId: string }) => (
  <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
    This patient cannot enter the visit: your clinic asks for the date of birth before video visits, and theirs is not
    on record.{' '}
    <Link href={`/patients/${patientId}`} className="rounded-sm underline">
      Add it to the patient’s details
    </Link>
  </p>
);
