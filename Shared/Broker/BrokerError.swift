package import Bus
import ServiceRuntime

/// The broker cannot listen.
package enum BrokerError: ExitError, Equatable {
    case settings(BusSettingsError)
    /// Another process uses the address, or libzmq gives another reason.
    case cannotListen(endpoint: String, reason: String)

    package var messages: [String] {
        switch self {
        case .settings(let error): ["The broker cannot listen: \(error)."]
        case .cannotListen(let endpoint, let reason): ["The broker cannot listen on \(endpoint): \(reason)."]
        }
    }
}
