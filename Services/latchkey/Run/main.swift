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

// One executable is the whole mesh, so that its processes share their code in memory. Its name selects the process.
switch ServiceName(ofExecutable: CommandLine.arguments.first ?? "") {
case nil:
    LatchkeyCommand.checkMemory()
    await LatchkeyCommand.main(
        AccountSecretReaders(factors: SecretExport.factors, publicKeys: PublicKeyExport.records),
        ServiceSchemas([
            .identity: IdentityStore.migrations, .mfaSMS: SMSStore.migrations, .mfaTOTP: TOTPStore.migrations,
            .passkey: PasskeyStore.migrations, .federation: FederationStore.migrations,
            .notifier: NotifierStore.migrations,
        ]))
case .broker: await BrokerProgram.run()
case .gateway: await GatewayProgram.run()
case .identity: await IdentityProgram.run()
case .mfaSMS: await SMSProgram.run()
case .mfaTOTP: await TOTPProgram.run()
case .passkey: await PasskeyProgram.run()
case .federation: await FederationProgram.run()
case .notifier: await NotifierProgram.run()
}
