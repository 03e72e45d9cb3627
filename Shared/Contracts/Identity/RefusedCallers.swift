extension Identity {
    /// Records in the audit log that a service has refused a request whose sender may not send it (security rules AU1 and
    /// BU3). The service sends it once a minute for each sender and operation, and does not repeat it.
    package struct RecordRefusedCaller: BusRequest, Equatable {
        package static let operation = Identity.Operation.recordRefusedCaller
        package static let retrySemantics = RetrySemantics.atMostOnce
        /// The name of the process in the table of peers; nil if the broker named none.
        package var caller: String?
        package var service: ServiceName
        /// The operation of that service.
        package var refused: String

        package init(caller: String?, service: ServiceName, refused: String) {
            self.caller = caller
            self.service = service
            self.refused = refused
        }

        package typealias Reply = EmptyReply
    }
}
