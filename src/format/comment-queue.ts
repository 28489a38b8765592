/** The comments of a program in order. Each is taken once, so none is lost or printed twice. */
import type { Comment } from '../syntax/ast.js';

export interface CommentQueue {
  readonly comments: readonly Comment[];
  next: number;
}

export function commentQueue(comments: readonly Comment[]): CommentQueue {
  return { comments: [...comments].sort((a, b) => a.span.start - b.span.start), next: 0 };
}

/** Removes and returns the next comment that starts before `end`, if `isWanted` accepts it. */
export function takeBefore(
  queue: CommentQueue,
  end: number,
  isWanted: (comment: Comment) => boolean = () => true,
): Comment | undefined {
  const comment = queue.comments[queue.next];
  if (comment === undefined || comment.span.start >= end || !isWanted(comment)) return undefined;
  queue.next++;
  return comment;
}
