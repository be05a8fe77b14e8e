import { Skeleton } from '#web/ui/skeleton.tsx';

/** A patient's name inside a list of something else, which knows the id first and the name a moment later. */
export function PatientName({ name }: { name: string | undefined }) {
  if (name) return name;
  return (
    <>
      {/* Within a sentence: a bar on a line of its own would move all below once the name is there. */}
      <span className="inline-block align-middle">
        <Skeleton className="h-3.5 w-28" />
      </span>
      <span className="sr-only">Patient</span>
    </>
  );
}
