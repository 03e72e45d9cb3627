/// A failure of what a service leans on, its database for one. It has nothing to do with what was asked, so whoever
/// answers a request maps it the same way for every operation, and no service has to.
package protocol DependencyFailure: Error {
    /// What the caller hears, without a word about the cause. Nil when it will not pass: it leaves as `internal`.
    var wireError: WireError? { get }
    /// What happened, fit for a log: without values of anybody's data.
    var reason: String { get }
}
