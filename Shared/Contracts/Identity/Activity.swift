package import Vocabulary

extension Identity {
    /// Adds what a process has counted. A process sends it every few seconds if there is something, so that no request of
    /// a user waits for it.
    package struct RecordActivity: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordActivity
        // Counts are added: a second time they would count twice.
        package static let retrySemantics = RetrySemantics.deduplicated
        /// Entries of a request. Those beyond are refused.
        package static let maximumEntries = 1000
        /// The highest amount of an entry. A higher one counts as this one.
        package static let maximumAmount: Int64 = 1_000_000_000_000
        /// What was counted longer ago counts as if it was counted then.
        package static let maximumAge = Duration.seconds(3600)

        package struct Entry: Codable, Equatable, Sendable {
            /// Nil: of no project, such as a request for a page of the installation.
            package var project: ProjectID?
            /// `ActivityCounter.name`. Identity ignores one that its version does not know.
            package var counter: String
            /// At least 1.
            package var amount: Int64
            /// How long ago it was counted, by the steady clock of the sender: its time of day may be wrong.
            package var ageSeconds: Int64

            package init(project: ProjectID?, counter: ActivityCounter, amount: Int64, ageSeconds: Int64) {
                self.project = project
                self.counter = counter.name
                self.amount = amount
                self.ageSeconds = ageSeconds
            }
        }

        package var entries: [Entry]

        package init(entries: [Entry]) {
            self.entries = entries
        }

        package typealias Reply = EmptyReply
    }

    /// What was counted in the last hour, day or month.
    package struct ReadActivity: BusRequest, Equatable {
        package static let operation = Identity.Operation.readActivity
        package static let retrySemantics = RetrySemantics.idempotent
        /// The projects of a reply with the highest cost.
        package static let maximumCosts = 50

        package enum Span: String, CaseIterable, Codable, Sendable {
            /// 60 minutes.
            case hour
            /// 24 hours.
            case day
            /// 31 days.
            case month
        }

        /// Nil: the whole installation.
        package var project: ProjectID?
        package var span: Span

        package init(project: ProjectID? = nil, span: Span) {
            self.project = project
            self.span = span
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// When the first period begins. Days are those of UTC, and the last period is the current one.
            package var start: Moment
            package var periodSeconds: Int64
            package var periods: Int
            /// The amounts of each period by the name of the counter. Counters without any are not in it.
            package var counts: [String: [Int64]]
            /// What SMS of each project cost today, the highest first. Only for the installation.
            package var costsOfToday: [ProjectCost]

            package init(
                start: Moment, periodSeconds: Int64, periods: Int, counts: [String: [Int64]],
                costsOfToday: [ProjectCost] = []
            ) {
                self.start = start
                self.periodSeconds = periodSeconds
                self.periods = periods
                self.counts = counts
                self.costsOfToday = costsOfToday
            }
        }

        package struct ProjectCost: Codable, Equatable, Sendable {
            package var project: ProjectID
            package var micros: Int64

            package init(project: ProjectID, micros: Int64) {
                self.project = project
                self.micros = micros
            }
        }
    }
}
