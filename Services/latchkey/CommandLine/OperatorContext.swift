import Contracts
import Glibc

extension ClientContext {
    /// The context of a request of the operator's command: the audit log names the login of the operator.
    static let operatorCommand = ClientContext(operatorName: operatorName)

    /// The login name of the user of this process. With sudo, the user who ran sudo: only root can set that variable for
    /// a process of root.
    private static var operatorName: String {
        if getuid() == 0, let name = getenv("SUDO_USER").map({ String(cString: $0) }), !name.isEmpty { return name }
        guard let entry = getpwuid(getuid()) else { return String(getuid()) }
        return String(cString: entry.pointee.pw_name)
    }
}
