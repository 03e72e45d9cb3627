import BrokerService
import Contracts
import FederationService
import GatewayService
import IdentityService
import LatchkeyProgram
import MFASMSService
import MFATOTPService
import NotifierService
import PasskeyService
import ServiceRuntime

extension ServiceName {
    fileprivate var program: Program {
        switch self {
        case .broker: BrokerProgram.program
        case .gateway: GatewayProgram.program
        case .identity: IdentityProgram.program
        case .mfaSMS: SMSProgram.program
        case .mfaTOTP: TOTPProgram.program
        case .passkey: PasskeyProgram.program
        case .federation: FederationProgram.program
        case .notifier: NotifierProgram.program
        }
    }
}

// One executable is the whole mesh, so that its processes share their code in memory. Its name selects the process.
if let service = ServiceName(ofExecutable: CommandLine.arguments.first ?? "") { await service.program.main() }
LatchkeyCommand.checkMemory()
await LatchkeyCommand.main(
    AccountSecretReaders(factors: SecretExport.factors, publicKeys: PublicKeyExport.records),
    ServiceSchemas([
        .identity: IdentityStore.migrations, .mfaSMS: SMSStore.migrations, .mfaTOTP: TOTPStore.migrations,
        .passkey: PasskeyStore.migrations, .federation: FederationStore.migrations,
        .notifier: NotifierStore.migrations,
    ]), ServicePrograms(\.program),
    AccountFills(accounts: AccountFilling.run, factors: FactorFilling.open))
