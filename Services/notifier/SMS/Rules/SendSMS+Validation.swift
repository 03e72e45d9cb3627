import Contracts
import Vocabulary

extension Notifier.SendSMS {
    static let maximumNameBytes = 1024

    /// Checks whether a message can be built from it.
    func check() throws(ServiceError) {
        let code = code.reveal()
        guard (4...8).contains(code.utf8.count), code.isASCIIDigits else {
            throw ServiceError(.invalidRequest, "The code is not four to eight digits.")
        }
        guard appName.utf8.count <= Self.maximumNameBytes else {
            throw ServiceError(.invalidRequest, "A name is too long.")
        }
        if let originDomain {
            guard (1...253).contains(originDomain.utf8.count),
                originDomain.utf8.allSatisfy({ $0.isASCIINameByte || $0 == UInt8(ascii: ".") })
            else { throw ServiceError(.invalidRequest, "The domain of the code is no host name.") }
        }
        if let problem = template.flatMap(Self.problem) {
            throw ServiceError(.invalidRequest, "The template \(problem).")
        }
    }
}
