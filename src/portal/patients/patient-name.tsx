import { Skeleton } from '#portal/ui/skeleton.tsx';

/** A patient's name inside a list of something else, which knows the id first and the name a moment later. */
export function PatientName({ name }: { name: string | undefined }) {
  if (name) return name;
  return (
    <>
      <Skeleton className="h-3.5 w-28" />
      <span className="sr-only">Patient</span>
    </>
  );
}
