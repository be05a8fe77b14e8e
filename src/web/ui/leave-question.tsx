'use client';
import { AlertCancel, AlertFrame } from './alert-frame.tsx';
import { Button } from './button.tsx';

type LeaveQuestionProps = { onKeep: () => void; onLeave: () => void };

export function LeaveQuestion({ onKeep, onLeave }: LeaveQuestionProps) {
  return (
    <AlertFrame
      title="Leave without saving?"
      description="What you have entered here is not saved yet."
      onClose={onKeep}
      actions={
        <>
          <AlertCancel asChild>
            <Button>Keep editing</Button>
          </AlertCancel>
          <Button variant="danger" onClick={onLeave}>
            Leave
          </Button>
        </>
      }
    />
  );
}
