//===- Crew.h - Who helps a launch --------------------------------------------------------------------------------===//
//
// A launch is the same whoever helps its thread: the caller runs its share, workers that join run theirs and help with
// the others', and the caller waits for those that are still inside. Crews differ in how a worker learns of a launch.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_CREW_H
#define BLOCKDSL_LIB_RUNTIME_CREW_H

#include "JobSlot.h"

namespace blockdsl::runtime {

class Crew {
public:
  /// Runs a job on the caller's thread and on up to so many workers'. False when it was asked to stop.
  virtual bool run(Job &job, int workers, void *scratch) = 0;

protected:
  ~Crew() = default;
};

/// The one place where it is decided whose threads run a launch on several.
Crew &crewFor(int threads);

/// Whether those who would help this thread spin, so long after its last launch that they may have had a part in.
bool wouldBeAwake(Clock::duration sinceLaunch);

/// What a launch's own thread does, by itself where there is no slot. False when it was asked to stop.
bool runCallersPart(Job &job, JobSlot *slot, void *scratch);

/// What a worker does that has come to a slot: nothing, where nobody is missing. A worker of the same number has the
/// same share from launch to launch; where more come than a job wants, two may have one.
bool runWorkersPart(JobSlot &slot, int number);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_CREW_H
