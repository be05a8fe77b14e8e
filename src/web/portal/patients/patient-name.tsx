import { Skeleton } from '#web/ui/skeleton.tsx';

/** A patient's name in a list of other records, where the id is known before the name. */
export function PatientName({ name }: { name: string | undefined }) {
  if (name) return name;
  return (
    <>
      {/* Inline: a block would shift the content below once the name is loaded. */}
      <span className="inline-block align-middle">
        <Skeleton className="h-3.5 w-28" />
      </span>
      <span className="sr-only">Patient</span>
    </>
  );
}
